"""The adversarial bench of the gate: faults planted in real text, what is caught, what is blocked without cause."""
