"""The route for callbacks. In an application: app.include_router(payments_router(receiver))."""

from fastapi import APIRouter, Request, Response

from payments_receiver import Receiver


def payments_router(receiver: Receiver) -> APIRouter:
    router = APIRouter()

    @router.post("/callbacks/payments")
    async def callback(request: Request) -> Response:
        # The signature covers the raw bytes.
        return Response(status_code=receiver.receive(request.headers, await request.body()))

    return router
