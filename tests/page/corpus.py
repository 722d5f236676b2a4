"""Texts that would run, or break a page, where they were not escaped."""

XSS = (
    "<script>window.ran = 1; alert(1)</script>",
    "</p></section></main><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1; alert(1)'>",
    '"><svg onload=alert(1)>',
    "' autofocus onfocus='alert(1)",
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe>",
    "</textarea><script>window.ran = 1</script>",
    "</title><script>window.ran = 1</script>",
    "<a href='javascript:alert(1)'>click</a>",
    "<form action='https://evil.example'><button>Save</button></form>",
    "<style>* { display: none }</style>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv='refresh' content='0; url=https://evil.example'>",
    "{{ 7 * 7 }} {% raw %} ${7 * 7} #{7 * 7}",
    "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#x3c;b&#x3e;",
    "<!-- <b> ]]> --> <?php ?> <math><mtext></mtext></math>",
    "\u202etxet desrever\u202c \u0000 \u2028 \ufeff \U0001f3f3\ufe0f",
    "x" * 3000,
)
