"""Figures printed in Raab, Nowok and Dibben, "Practical privacy metrics for synthetic data", as
they stand on the page.
"""

KEYS = ["sex", "age", "region", "placesize"]

# Section 2: the summary of s1.
SUMMARY_IDENT = {"UiO": 48.38, "repU": 14.86}

# Section 3.2 and 3.3: five syntheses, target depress.
IDENT = {
    "UiO": [48.38] * 5,
    "UiS": [37.34, 35.44, 35.18, 34.90, 36.14],
    "UiOiS": [22.68, 22.24, 21.98, 22.08, 22.00],
    "repU": [14.86, 13.96, 13.62, 13.78, 14.62],
}
ATTRIB = {
    "Dorig": [53.3] * 5,
    "Dsyn": [46.26, 44.80, 44.60, 45.80, 44.52],
    "iS": [64.90, 64.00, 64.02, 63.88, 63.44],
    "DiS": [34.18, 32.50, 32.14, 33.38, 31.46],
    "DiSCO": [9.54, 10.26, 9.10, 9.20, 9.34],
    "DiSDiO": [6.14, 6.78, 5.92, 5.52, 5.80],
    "max_denom": [3, 4, 4, 4, 4],
    "mean_denom": [1.16, 1.19, 1.19, 1.21, 1.23],
}

# Appendix 2. The paper's DCAP is called DCAPd since 1.9-3, and its TCAP has another denominator
# there.
CAPS = {
    "baseCAPd": [9.81] * 5,
    "CAPd": [74.15] * 5,
    "CAPs": [69.78, 69.36, 69.24, 69.87, 69.00],
    "DCAP": [16.39, 17.45, 16.20, 15.92, 16.17],
    "TCAP": [14.70, 16.03, 14.21, 14.40, 14.72],
}

# Section 3.3: s1 with denom_lim = 1 and exclude_ov_denom_lim.
DENOM_LIM_IDENT = {"UiO": 50.26, "repU": 16.36}
DENOM_LIM_ORDER = ["1 income", "2 depress", "3 ls", "4 marital", "5 workab 1way checks"]
DENOM_LIM_DORIG = [48.38] * 5
DENOM_LIM_DISCO = [3.36, 7.02, 9.84, 15.40, 20.48]

# Section 4: checks on s1.
CHECK_1WAY_WORKAB = {
    "Level": "NO",
    "All": 5000,
    "PctLevelAll": 88.64,
    "totalDisclosive": 2605,
    "nLevelDis": 2482,
    "PctLevelDis": 95.28,
}
CHECK_2WAY_MARITAL = [
    # row, pair, npairs, key, key_target_total, key_total, PctTargetKeyLevel
    ("7", "SINGLE|19", 10, "age", 91, 92, 98.91),
    ("4", "MARRIED|41", 5, "age", 59, 73, 80.82),
    ("6", "SINGLE|18", 5, "age", 91, 92, 98.91),
    ("8", "SINGLE|22", 5, "age", 85, 91, 93.41),
]

# Section 5, Table 1: Adult, keys age, occupation, race, sex, column "No excl", original.
ADULT_DORIG = {
    "capital.gain": 22.55,
    "capital.loss": 30.61,
    "education": 3.71,
    "fnlwgt": 2.70,
    "hours.per.week": 4.36,
    "income": 4.97,
    "marital.status": 8.23,
    "native.country": 17.09,
    "relationship": 5.17,
    "workclass": 14.27,
}

# Section 5, Table 1: the original's column under each of its five exclusion settings.
ADULT_TABLE_1 = {
    "No excl": {
        "capital.gain": 22.55,
        "capital.loss": 30.61,
        "education": 3.71,
        "fnlwgt": 2.70,
        "hours.per.week": 4.36,
        "income": 4.97,
        "marital.status": 8.23,
        "native.country": 17.09,
        "relationship": 5.17,
        "workclass": 14.27,
    },
    "not.tlev": {
        "capital.gain": 0.21,
        "capital.loss": 0.08,
        "education": 3.71,
        "fnlwgt": 2.70,
        "hours.per.week": 4.36,
        "income": 4.97,
        "marital.status": 8.23,
        "native.country": 0.94,
        "relationship": 5.17,
        "workclass": 14.27,
    },
    "NAs out, not.tlev": {
        "capital.gain": 0.21,
        "capital.loss": 0.08,
        "education": 3.71,
        "fnlwgt": 2.70,
        "hours.per.week": 4.36,
        "income": 4.97,
        "marital.status": 8.23,
        "native.country": 0.94,
        "relationship": 5.17,
        "workclass": 14.27,
    },
    "denom_lim 1, NAs out, not.tlev": {
        "capital.gain": 0.19,
        "capital.loss": 0.08,
        "education": 2.45,
        "fnlwgt": 2.45,
        "hours.per.week": 2.45,
        "income": 1.58,
        "marital.status": 2.45,
        "native.country": 0.67,
        "relationship": 2.45,
        "workclass": 2.45,
    },
    "denom_lim 1": {
        "capital.gain": 2.68,
        "capital.loss": 2.68,
        "education": 2.68,
        "fnlwgt": 2.68,
        "hours.per.week": 2.68,
        "income": 2.68,
        "marital.status": 2.68,
        "native.country": 2.68,
        "relationship": 2.68,
        "workclass": 2.68,
    },
}

# Section 5, Table 1: the synthetic column under each of them (DiSCO of a synthesis not printed).
ADULT_TABLE_1_SYN = {
    "No excl": {
        "capital.gain": 19.87,
        "capital.loss": 27.71,
        "education": 0.93,
        "fnlwgt": 0.00,
        "hours.per.week": 0.19,
        "income": 2.10,
        "marital.status": 5.27,
        "native.country": 13.55,
        "relationship": 2.64,
        "workclass": 11.64,
    },
    "not.tlev": {
        "capital.gain": 0.00,
        "capital.loss": 0.00,
        "education": 0.93,
        "fnlwgt": 0.00,
        "hours.per.week": 0.19,
        "income": 2.10,
        "marital.status": 5.27,
        "native.country": 0.08,
        "relationship": 2.64,
        "workclass": 11.64,
    },
    "NAs out, not.tlev": {
        "capital.gain": 0.00,
        "capital.loss": 0.00,
        "education": 0.93,
        "fnlwgt": 0.00,
        "hours.per.week": 0.19,
        "income": 2.10,
        "marital.status": 5.27,
        "native.country": 0.08,
        "relationship": 2.64,
        "workclass": 11.64,
    },
    "denom_lim 1, NAs out, not.tlev": {
        "capital.gain": 0.00,
        "capital.loss": 0.00,
        "education": 0.46,
        "fnlwgt": 0.00,
        "hours.per.week": 0.12,
        "income": 0.50,
        "marital.status": 0.68,
        "native.country": 0.04,
        "relationship": 0.69,
        "workclass": 0.85,
    },
    "denom_lim 1": {
        "capital.gain": 1.17,
        "capital.loss": 1.26,
        "education": 0.50,
        "fnlwgt": 0.00,
        "hours.per.week": 0.13,
        "income": 0.82,
        "marital.status": 0.74,
        "native.country": 0.87,
        "relationship": 0.73,
        "workclass": 0.96,
    },
}

# Section 5: levels flagged in Figure 2, and how many pairs of the three other targets.
ADULT_FLAGGED_LEVELS = {
    "capital.gain": "0",
    "capital.loss": "0",
    "native.country": "United-States",
}
ADULT_FLAGGED_PAIRS = {"workclass": 7, "marital.status": 7, "relationship": 2}

# The last of these columns by itself.
ADULT_DISCO_DENOM_LIM_1 = ADULT_TABLE_1_SYN["denom_lim 1"]
