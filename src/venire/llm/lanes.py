"""From a request to the route, the limits and the backend that answer it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from venire.errors import BackendError, ConfigError
from venire.llm.limits import Limiter
from venire.llm.protocol import Backend, Loading
from venire.llm.route import Route
from venire.records import Request


@dataclass(slots=True)
class Lane:
    """How one route's requests are answered; routes of one provider share the limiter.

    `refused` is set once the provider has refused a request for good (key, model, address): the run
    stops, and what waits for a slot is not sent to be refused, too. `loading` is the backend, where it
    takes a while to get ready.
    """

    route: Route
    limiter: Limiter
    backend: Backend
    refused: BackendError | None = None
    loading: Loading | None = field(init=False)

    def __post_init__(self) -> None:
        # Asked once a lane: of a protocol, isinstance takes 7 microseconds.
        self.loading = self.backend if isinstance(self.backend, Loading) else None


class Lanes:
    """The lanes of all routes, each made when its first request has to be paid.

    A run that is replayed wholly builds no backend. `limiters` are by provider.
    """

    def __init__(
        self,
        routes: Sequence[Route],
        backend_of: Callable[[Route], Backend],
        limiters: Mapping[str, Limiter],
    ) -> None:
        self._routes = {(route.model, route.endpoint): route for route in routes}
        self._limiters = limiters
        self._backend_of = backend_of
        self._lanes: dict[tuple[str, str], Lane] = {}

    def of(self, request: Request) -> Lane:
        """The lane of `request`.

        Raises:
            ConfigError: no route has its model and endpoint.
        """
        address = (request.model, request.endpoint)
        lane = self._lanes.get(address)
        if lane is None:
            route = self._routes.get(address)
            if route is None:
                known = ", ".join(
                    f"{model} at {endpoint or 'its own address'}" for model, endpoint in self._routes
                )
                raise ConfigError(
                    f"model: no judge of this run is {request.model} at "
                    f"{request.endpoint or 'its own address'} (there is: {known or 'none'})"
                )
            lane = Lane(route, self._limiters[route.provider], self._backend_of(route))
            self._lanes[address] = lane
        return lane

    async def aclose(self) -> None:
        """Close every backend that was made, once."""
        for backend in {id(lane.backend): lane.backend for lane in self._lanes.values()}.values():
            await backend.aclose()
