"""Who may do what: modes, rules, memory and the question to the person. Pure."""
