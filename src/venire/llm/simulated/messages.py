"""The messages of a request that hold its question."""

from venire.records import Request


def first_message(request: Request, role: str) -> str:
    """The text of the first message of `role`; empty for none.

    What a re-ask adds (the unusable reply, the complaint) comes after it and is not the question.
    """
    return next((message.content for message in request.messages if message.role == role), "")
