"""What runs tell of the models' speed: figures of one run, and a comparison of two that refuses what is not alike."""
