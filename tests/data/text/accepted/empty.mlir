// Nothing: an empty module, which tileirdisasm prints as an empty line.
