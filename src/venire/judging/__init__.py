"""One model step each: judge, prompt and reply schema in, typed judgment out; and pure aggregation."""
