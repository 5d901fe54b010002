"""Chinese words and their parts of speech, as jieba finds them."""
