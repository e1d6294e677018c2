"""A campaign of faults: kills, full disks, flipped bits, odd input and hostile models, against the command itself.

Every outcome is a kept result, one sentence with the right exit code, or a defect, which becomes a small file.
"""
