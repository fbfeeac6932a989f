"""The view for callbacks. In urls.py: path("", include("payments_views")); in settings.py: PAYMENTS_WEBHOOK_SECRET."""

from django.conf import settings
from django.dispatch import Signal
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from payments_receiver import Receiver

# Sent once for each callback, with the argument payment.
payment_received = Signal()
seen = set()


def on_payment(payment):
    payment_received.send(sender=None, payment=payment)


@csrf_exempt
@require_POST
def callback(request):
    receiver = Receiver(settings.PAYMENTS_WEBHOOK_SECRET, on_payment, seen)
    return HttpResponse(status=receiver.receive(request.headers, request.body))


urlpatterns = [path("callbacks/payments", callback)]
