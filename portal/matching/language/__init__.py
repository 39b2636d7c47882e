"""What texts are made of: clean text, sentences, words, stems, terms; names, abbreviations, spelling."""
