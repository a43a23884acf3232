def disclosure_headline(result, to): return []
def disclosure_sections(result, to): return []
