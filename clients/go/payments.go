package paymentssandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Payment describes a payment to make. Every field has a default: 1000 by mobile money in Kenya, with the inbox of the world as
// callback_url.
type Payment struct {
	// Outcome is a name such as payer-cancels, an alias such as cancelled, or a reason code; by default the payment succeeds.
	Outcome string  `json:"outcome,omitempty"`
	Amount  float64 `json:"amount,omitempty"`
	// Phone is that of the payer or recipient.
	Phone         string `json:"phone,omitempty"`
	AccountNumber string `json:"account_number,omitempty"`
	// Rail is momo, bank or card.
	Rail string `json:"rail,omitempty"`
	// Country is its ISO 3166-1 code, such as NG.
	Country string `json:"country,omitempty"`
	// Reference is your own.
	Reference   string `json:"reference,omitempty"`
	CallbackURL string `json:"callback_url,omitempty"`
	AccountID   int64  `json:"account_id,omitempty"`
	Operation   string `json:"operation,omitempty"`
	// Fields are added to the request body, or replaced in it; objects are merged.
	Fields Object `json:"fields,omitempty"`
}

// Paid is a payment that the service accepted.
type Paid struct {
	// Reference is your own reference, under which every other call finds the payment.
	Reference string
	// Outcome is empty if the payment succeeds unless the world decides otherwise.
	Outcome   string
	Operation string
	// Request is the body of the request, Response that of the service.
	Request, Response Object
	Status            int
	RequestID         string
}

// Pay makes a payment.
func (c *Client) Pay(payment Payment) (*Paid, error) { return c.pay(payment, "payin") }

// PayOut makes a payout.
func (c *Client) PayOut(payment Payment) (*Paid, error) { return c.pay(payment, "payout") }

func (c *Client) pay(payment Payment, direction string) (*Paid, error) {
	given := struct {
		Direction string `json:"direction"`
		Payment
	}{direction, payment}
	var made struct {
		Operation, Method, Path, Reference, Outcome string
		Headers                                     map[string]string
		Body                                        Object
	}
	if _, err := c.ask("POST", "/sandbox/payments/prepare", given, nil, &made); err != nil {
		return nil, err
	}
	paid := &Paid{Reference: made.Reference, Outcome: made.Outcome, Operation: made.Operation, Request: made.Body}
	response, err := c.ask(made.Method, made.Path, made.Body, made.Headers, &paid.Response)
	if err != nil {
		return nil, err
	}
	paid.Status, paid.RequestID = response.StatusCode, response.Header.Get("Sandbox-Request-Id")
	return paid, nil
}

// Settle runs all pending jobs and moves the clock to each: transactions settle, callbacks and retries are sent.
func (c *Client) Settle() (Object, error) {
	var ran Object
	_, err := c.ask("POST", "/sandbox/settle", nil, nil, &ran)
	return ran, err
}

// Callback is a callback of a payment.
type Callback struct {
	ID int64
	// Reference is the service's reference of the transaction, ExternalReference your own.
	Reference, ExternalReference, URL string
	// State is pending, delivered or failed.
	State string
	// Body is the parsed body; nil if it is not a JSON object.
	Body Object
	// Raw are the signed bytes.
	Raw []byte
	// Headers are those of the last attempt, with names in lower case.
	Headers map[string]string
	// Verified is true if the signature is valid for the secret of the world.
	Verified bool
	// Deliveries is the number of attempts that the receiver accepted: 2 for duplicate-callback.
	Deliveries int
	// Status is the receiver's last response status; 0 if it did not respond.
	Status int
}

// callbackView is a callback with its attempts, as in GET /sandbox/callbacks/{id}.
type callbackView struct {
	Callback struct {
		ID                      int64
		Transaction, URL, State string
		ExternalReference       string `json:"external_reference"`
	}
	Body     string
	Attempts []struct {
		Request  struct{ Headers map[string]string }
		Response *struct{ Status int }
	}
}

// Callback waits at most 4 s of real time for the newest delivered callback of a payment, and verifies its signature.
func (c *Client) Callback(reference string) (*Callback, error) {
	// Without a reference, the newest callback of any payment would be returned.
	if reference == "" {
		return nil, errors.New("reference must be the reference of a payment, got an empty text")
	}
	var found struct{ Callbacks []callbackView }
	query := url.Values{"reference": {reference}, "timeout": {"4s"}}
	if _, err := c.ask("GET", "/sandbox/callbacks/wait?"+query.Encode(), nil, nil, &found); err != nil {
		return nil, err
	}
	newest := found.Callbacks[len(found.Callbacks)-1]
	view := newest.Callback
	callback := &Callback{ID: view.ID, Reference: view.Transaction, ExternalReference: view.ExternalReference, URL: view.URL,
		State: view.State, Raw: []byte(newest.Body), Headers: map[string]string{}}
	json.Unmarshal(callback.Raw, &callback.Body)
	for _, attempt := range newest.Attempts {
		callback.Status = 0
		if attempt.Response != nil {
			callback.Status = attempt.Response.Status
		}
		if callback.Status >= 200 && callback.Status < 300 {
			callback.Deliveries++
		}
		for name, value := range attempt.Request.Headers {
			callback.Headers[strings.ToLower(name)] = value
		}
	}
	var checked struct{ Valid bool }
	sent := Object{"headers": callback.Headers, "body": newest.Body, "url": view.URL}
	_, err := c.ask("POST", "/sandbox/signatures/check", sent, nil, &checked)
	callback.Verified = checked.Valid
	return callback, err
}

// Advance moves the clock forward. It returns the jobs that ran.
func (c *Client) Advance(by time.Duration) (Object, error) {
	var ran Object
	_, err := c.ask("POST", "/sandbox/clock/advance", Object{"by": fmt.Sprintf("%dms", by.Milliseconds())}, nil, &ran)
	return ran, err
}

// Scenario turns an outcome on for every matching request.
func (c *Client) Scenario(name string) error {
	if name == "" {
		return errors.New("name must be an outcome such as payer-cancels, got an empty text")
	}
	_, err := c.ask("PATCH", "/sandbox/scenarios/"+url.PathEscape(name), Object{"on": true}, nil, nil)
	return err
}

// Transaction returns a transaction with its states, callbacks and pending work.
func (c *Client) Transaction(reference string) (Object, error) {
	if reference == "" {
		return nil, errors.New("reference must be the reference of a payment, got an empty text")
	}
	var found Object
	_, err := c.ask("GET", "/sandbox/transactions/"+url.PathEscape(reference), nil, nil, &found)
	return found, err
}
