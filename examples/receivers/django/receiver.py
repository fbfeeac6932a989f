"""Takes callbacks with Django. README.md says how it is run."""

import base64
import hashlib
import hmac
import json
import os
import re
import time
from decimal import Decimal

import django
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.wsgi import get_wsgi_application
from django.db import connection, models, transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

KEYS = [
    base64.b64decode(secret.removeprefix("whsec_"))
    for secret in os.environ.get("WEBHOOK_SECRETS", "").split()
]
# Whoever signs with an empty key would be believed.
if not KEYS or min(map(len, KEYS)) < 24:
    raise ValueError("WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it")
TOLERANCE = 300
"""Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody."""

settings.configure(
    ROOT_URLCONF=__name__,
    # The name in the callback's address belongs here, or each is answered 400.
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    MIDDLEWARE=[
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
    DATA_UPLOAD_MAX_MEMORY_SIZE=65_536,
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ.get("DATA", "orders.db"),
            # SQLite has no SELECT FOR UPDATE: of two changes at once the second waits for the whole first.
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 5},
        }
    },
)
django.setup()


class Order(models.Model):
    reference = models.CharField(primary_key=True, max_length=255)
    amount = models.DecimalField(max_digits=12, decimal_places=2)
    currency = models.CharField(max_length=3)
    status = models.CharField(max_length=20, default="waiting")
    fulfilled = models.IntegerField(default=0)
    paid = models.DecimalField(max_digits=12, decimal_places=2, default=0)

    class Meta:
        app_label = "receiver"


class Taken(models.Model):
    """A callback that was taken; it has the same id however often it is sent."""

    event = models.CharField(primary_key=True, max_length=255)

    class Meta:
        app_label = "receiver"


# In a project these are migrations.
with connection.schema_editor() as editor:
    for model in (Order, Taken):
        if model._meta.db_table not in connection.introspection.table_names():
            editor.create_model(model)


def is_genuine(headers, body):
    """Whether these very bytes were signed with one of the secrets a moment ago."""
    event, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    # Not isdigit(): it takes ², of which int() makes nothing.
    if not event or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(int(time.time()) - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{event}.{timestamp}.".encode("latin-1") + body
    # Bytes: compare_digest raises where text is not ASCII.
    sent = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    expected = [
        b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS
    ]
    return any(hmac.compare_digest(each, own) for each in sent for own in expected)


def flat(told):
    payin = told["transaction_type"] == "inbound_payment"
    return told["external_reference"], told["status"], told["amount"], told["currency"], payin


def nested(told):
    """The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure."""
    status = "success" if told["status"] is True else "failed"
    told = told["response"]
    return told["ExternalReference"], status, told["Amount"], "KES", "TransactionID" not in told


def result_of(body):
    """What a callback tells, whatever else it has; None when that is no result."""
    try:
        told = json.loads(body, parse_float=Decimal)
        result = nested(told) if "response" in told else flat(told)
    except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError):
        return None
    reference, status, amount, _, _ = result
    # type(), for True is an int and equals 1.
    fits = isinstance(reference, str) and isinstance(status, str) and type(amount) in (int, Decimal)
    return result if fits else None


def after(order, result):
    """The state of an order, after a result: nothing undoes a reversal, and only a reversal undoes what is paid."""
    _, status, amount, currency, payin = result
    if not payin or order.status == "reversed":
        return order.status
    if status == "reversed":
        return "reversed"
    if status == "failed":
        return "failed" if order.status == "waiting" else order.status
    if status != "success" or order.status == "paid":
        return order.status
    # Rightly signed, but not what was asked for: somebody has to look at it.
    return "paid" if (amount, currency) == (order.amount, order.currency) else "review"


@transaction.atomic
def take(event, result):
    """Takes a callback once; it is on the disk when this returns, for what is answered with 2xx is not sent again."""
    # Of ten copies at one moment nine wait here.
    order = Order.objects.select_for_update().filter(reference=result[0]).first()
    # A payment that nobody asked for is no reason to have it sent again.
    if order is None or not Taken.objects.get_or_create(event=event)[1]:
        return
    before, order.status = order.status, after(order, result)
    order.paid = order.amount if order.status == "paid" else 0
    if order.status == "paid" and before != "paid":
        # Here goods are handed out, once.
        order.fulfilled += 1
    order.save()


def refused(status):
    return JsonResponse({"error": HttpResponse(status=status).reason_phrase}, status=status)


# The sender has no cookie of ours; what proves where it comes from is the signature.
@csrf_exempt
@require_POST
def callback(request):
    if request.content_type != "application/json":
        return refused(415)
    try:
        body = request.body
    except RequestDataTooBig:
        # Django itself answers 400.
        return refused(413)
    if not is_genuine(request.headers, body):
        return refused(401)
    result = result_of(body)
    if result is None:
        return refused(400)
    take(request.headers["webhook-id"], result)
    return HttpResponse(status=204)


# For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own.
@csrf_exempt
@require_POST
def expect(request):
    Order.objects.create(**json.loads(request.body))
    return HttpResponse(status=201)


def show(_request, reference):
    order = get_object_or_404(Order, reference=reference)
    return JsonResponse(
        {"status": order.status, "fulfilled": order.fulfilled, "paid": float(order.paid)}
    )


# Without a slash at its end: APPEND_SLASH answers with a redirect, which no callback follows.
urlpatterns = [
    path("callback", callback),
    path("orders", expect),
    path("orders/<str:reference>", show),
]

application = get_wsgi_application()
