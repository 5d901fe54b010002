"""Chinese words and their parts of speech, as in jieba."""
