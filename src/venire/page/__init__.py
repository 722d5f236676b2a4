"""The local page on which people work: review of a run, blind annotation, JuryFlow's one choice.

A mode plugs in as a value (`page/mode.py`):

    Mode(name="review", title="Review", routes=(Route("/", first), Route("/save", save, methods=["POST"])),
         folder=Path(__file__).parent)

- Its addresses lie below `/<name>`, so `Route("/save", ...)` is `/review/save`. Handlers go from a Starlette
  `Request` to a response: plain functions (run in a thread, may read and write files), or `async` ones.
- `<folder>/templates/*.html` are its templates, found as `<name>/item.html`. They begin with
  `{% extends "base.html" %}` and fill the blocks `main` (required), `shortcuts` (rows `<dt>`, `<dd>`),
  `head` (its own `<link>`, `<script src=... defer>`). Everything is escaped; no `|safe`, no `Markup`.
- `<folder>/static/*` are served as `/static/<name>/<file>`. The policy allows no inline script or style, no
  `style=` attribute, no `innerHTML`: make elements by DOM calls, draw by SVG attributes, style by classes.
- `page(request, "review/item.html", item=item)` renders; `visitor_of(request).annotator` says who is there
  (None: `Mode.needs_annotator` sends people to `/who` first); `form_of(request)` has the fields of a POST.
- Each `<form method="post">` has `{{ csrf_field }}`; a script that posts by `fetch` sends the same field,
  `document.querySelector('meta[name="csrf-token"]').content`, as `csrf` in an `URLSearchParams` body.
- After a POST answer `done(request, "/review/item/3", "saved")`: a redirect, after which the page says what
  was done (`DONE` in `page/rendering.py`) also to a screen reader. What is said to be saved is on the disk.
- Time: `/static/time.js` tells `data-time` (a route to `times.take_time`) how long the form is in front;
  the form has `data-times`, `data-what` and fields `annotator`, `visit`, `seconds`: see `page/times.py`.
- Keys: an element with `data-key="u"` is clicked (a form's field: chosen and focused) when `u` is pressed
  outside a text field; people can turn that off. Say each in the block `shortcuts`.

`app.make_app` puts modes together, `serving.serve` runs until Ctrl-C, `serving.served` in a thread.
"""
