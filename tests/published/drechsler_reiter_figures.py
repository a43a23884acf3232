"""Tables 5, 6 and 7 of Drechsler and Reiter (2009), averages of ten simulations, as printed.

Their data, the IAB Establishment Panel of 1997 (7,332 establishments), are confidential.
"""

# m: average overlap of 31 confidence intervals, expected and true match risk, both for the 25
# largest establishments.
ONE_STAGE = {
    3: {
        "overlap": 0.854,
        "expected": 67.8,
        "true": 35.2,
        "expected_largest": 3.2,
        "true_largest": 2.0,
    },
    10: {
        "overlap": 0.865,
        "expected": 94.8,
        "true": 82.5,
        "expected_largest": 5.2,
        "true_largest": 4.9,
    },
    50: {
        "overlap": 0.871,
        "expected": 126.9,
        "true": 126.1,
        "expected_largest": 6.9,
        "true_largest": 6.8,
    },
    100: {
        "overlap": 0.871,
        "expected": 142.5,
        "true": 142.4,
        "expected_largest": 7.1,
        "true_largest": 7.1,
    },
}
# (m, r): industry drawn once a nest, employees in every set.
TWO_STAGE = {
    (3, 3): {
        "overlap": 0.867,
        "expected": 83.1,
        "true": 67.6,
        "expected_largest": 4.0,
        "true_largest": 3.4,
    },
    (3, 16): {
        "overlap": 0.868,
        "expected": 98.0,
        "true": 91.8,
        "expected_largest": 4.1,
        "true_largest": 4.0,
    },
    (3, 33): {
        "overlap": 0.870,
        "expected": 99.8,
        "true": 96.3,
        "expected_largest": 3.8,
        "true_largest": 3.8,
    },
    (5, 10): {
        "overlap": 0.869,
        "expected": 106.1,
        "true": 101.2,
        "expected_largest": 4.6,
        "true_largest": 4.4,
    },
    (10, 5): {
        "overlap": 0.875,
        "expected": 113.8,
        "true": 109.4,
        "expected_largest": 5.0,
        "true_largest": 5.0,
    },
    (16, 3): {
        "overlap": 0.874,
        "expected": 119.9,
        "true": 116.4,
        "expected_largest": 5.2,
        "true_largest": 5.2,
    },
}
