"""Text to mentions: pure functions, used alike on drafts and on sources."""
