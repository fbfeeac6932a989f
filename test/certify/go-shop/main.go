// A little shop in plain Go, which knows nothing of certify. FAULT is the name of the one thing that it does wrong.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	largest   = 65_536
)

var broken = os.Getenv("FAULT")

// An order as its log has it. The account is the one that pays for it.
type order struct {
	ID, Account, URL, State, Currency, Reference string
	Amount                                       float64
	Receipts, Looks                              int
	LookAt                                       time.Time
}

type result struct {
	Order     string  `json:"external_reference"`
	Status    string  `json:"status"`
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Reference string  `json:"reference"`
}

type shop struct {
	sync.Mutex
	orders   map[string]order
	taken    map[string]bool
	file     *os.File
	secret   []byte
	callback string
}

// Whether a callback is the service's own: its signature is of these very bytes, and it is new.
func (s *shop) isGenuine(header http.Header, body []byte) bool {
	at, err := strconv.ParseInt(header.Get("Webhook-Timestamp"), 10, 64)
	age := time.Since(time.Unix(at, 0)).Abs()
	if err != nil && broken != "accepts callbacks without a signature" || age > tolerance && broken != "accepts callbacks of any age" && err == nil {
		return false
	}
	if broken == "signs the text instead of the bytes" {
		var text bytes.Buffer
		_ = json.Compact(&text, body)
		body = text.Bytes()
	}
	mac := hmac.New(sha256.New, s.secret)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("Webhook-Id"), header.Get("Webhook-Timestamp"), body)
	own := mac.Sum(nil)
	if header.Get("Webhook-Signature") == "" {
		return broken == "accepts callbacks without a signature"
	}
	for _, each := range strings.Split(header.Get("Webhook-Signature"), " ") {
		given, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(each, "v1,"))
		switch broken {
		case "accepts any signature":
			return true
		case "compares the length of the signature only":
			return len(given) == len(own)
		case "crashes for half a signature":
			given = given[:len(own)]
		}
		if hmac.Equal(given, own) {
			return true
		}
		if broken == "reads the first of two signatures" {
			return false
		}
	}
	return false
}

// What a result makes of an order: nothing undoes a reversal, and only a reversal undoes what is paid.
func next(o order, r result) string {
	if o.State == "reversed" && broken != "lets a success follow a reversal" || r.Status == "reversed" && broken != "ignores reversals" {
		return "reversed"
	}
	if o.State == "paid" || o.State == "unpaid" && broken == "ignores a success after a failure" {
		return o.State
	}
	if r.Status == "success" || r.Status == "queued" && broken == "takes queued for paid" {
		amount := r.Amount == o.Amount || broken == "accepts any amount"
		amount = amount || broken == "accepts half the amount" && r.Amount*2 >= o.Amount-1
		amount = amount || broken == "accepts one shilling less" && r.Amount >= o.Amount-1
		currency := r.Currency == o.Currency || broken == "accepts another currency"
		reference := o.Reference == "" || r.Reference == "" || r.Reference == o.Reference || broken == "accepts another reference"
		if amount && currency && reference || broken == "delivers what it should flag" {
			return "paid"
		}
		return "disputed"
	}
	if r.Status == "failed" && broken != "leaves failures open" || broken == "takes queued for failed" {
		return "unpaid"
	}
	return o.State
}

// Keeps what changed before anything else happens.
func (s *shop) keep(id string, o order) {
	s.orders[o.ID] = o
	if id != "" {
		s.taken[id] = true
	}
	line, _ := json.Marshal(map[string]any{"id": id, "order": o})
	_, _ = s.file.Write(append(line, '\n'))
	if broken != "keeps orders in memory" {
		_ = s.file.Sync()
	}
}

// A result, whichever way it comes. The id is that of its callback.
func (s *shop) take(id string, r result) {
	s.Lock()
	defer s.Unlock()
	if s.taken[id] && broken != "books repeated callbacks" {
		return
	}
	o, known := s.orders[r.Order]
	if !known && broken == "creates unknown orders" {
		o = order{ID: r.Order, Amount: r.Amount, Currency: r.Currency, Reference: r.Reference}
	} else if !known && broken == "crashes for unknown orders" {
		panic("no such order")
	} else if !known {
		return
	}
	state := next(o, r)
	isNew := state != o.State || broken == "delivers for the query and the callback" || broken == "books repeated callbacks"
	if broken == "looks first and books later" {
		s.Unlock()
		time.Sleep(20 * time.Millisecond)
		s.Lock()
		o.Receipts = s.orders[r.Order].Receipts
	}
	isDue := state == "paid" || broken == "delivers failed orders" || state == "reversed" && broken == "delivers when a payment is reversed"
	if isNew && isDue {
		o.Receipts++
	}
	o.State = state
	s.keep(id, o)
}

func (s *shop) onCallback(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch {
	case err != nil:
		w.WriteHeader(413)
		return
	case r.Method != http.MethodPost:
		w.WriteHeader(405)
		return
	case kind != "application/json":
		w.WriteHeader(415)
		return
	case !s.isGenuine(r.Header, body):
		if broken != "answers forged callbacks with 200" {
			w.WriteHeader(401)
		}
		return
	}
	var found result
	decoder := json.NewDecoder(bytes.NewReader(body))
	if broken == "rejects unknown fields" {
		decoder.DisallowUnknownFields()
	}
	if decoder.Decode(&found) != nil || found.Order == "" || found.Status == "" {
		w.WriteHeader(400)
		return
	}
	s.take(r.Header.Get("Webhook-Id"), found)
	if broken == "redirects callbacks" {
		w.WriteHeader(302)
		return
	}
	w.WriteHeader(204)
}

var client = http.Client{Timeout: 30 * time.Second}

func (s *shop) send(o order, path string, body map[string]any, into any) (*http.Response, error) {
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(http.MethodPost, o.URL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Authorization": {o.Account}, "Content-Type": {"application/json"}, "User-Agent": {"little-shop/1.0"}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode < 300 {
		err = json.NewDecoder(response.Body).Decode(into)
	}
	return response, err
}

func (s *shop) checkout(o order, phone string) {
	s.Lock()
	if _, known := s.orders[o.ID]; known {
		s.Unlock()
		return
	}
	o.State, o.Currency, o.LookAt = "waiting", "KES", time.Now().Add(time.Second)
	s.keep("", o)
	s.Unlock()
	body := map[string]any{"amount": o.Amount, "phone_number": phone, "provider": "m-pesa", "network_code": "63902", "external_reference": o.ID, "callback_url": s.callback}
	if broken == "uses one reference for all orders" {
		body["external_reference"] = "shop"
	}
	if broken == "sends its key in the body" {
		body["api_key"] = o.Account
	}
	for tries := 0; tries < 3; tries++ {
		var made result
		response, err := s.send(o, "/api/v2/payments", body, &made)
		if err != nil && broken == "pays again after a lost response" || err == nil && response.StatusCode >= 500 && broken == "pays again after a server error" {
			continue
		}
		if err != nil || response.StatusCode >= 500 {
			s.look(o)
			return
		}
		if response.StatusCode == 429 {
			wait, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			if broken != "ignores Retry-After" {
				time.Sleep(time.Duration(wait) * time.Second)
			}
			continue
		}
		s.Lock()
		now := s.orders[o.ID]
		if response.StatusCode < 300 {
			now.Reference = made.Reference
		} else if now.State == "waiting" && broken != "leaves rejected orders open" {
			now.State = "unpaid"
		}
		s.keep("", now)
		s.Unlock()
		return
	}
}

func (s *shop) look(o order) {
	var found result
	response, err := s.send(o, "/api/global/transaction-status", map[string]any{"request_id": o.ID}, &found)
	if err == nil && response.StatusCode == 200 {
		found.Order = o.ID
		s.take("", found)
	}
}

// Asks for payments of which nobody told, ever more rarely: callbacks get lost.
func (s *shop) watch() {
	for range time.Tick(500 * time.Millisecond) {
		s.Lock()
		due := []order{}
		for id, o := range s.orders {
			if o.State == "waiting" && o.LookAt.Before(time.Now()) && o.Looks < 12 && broken != "never queries the status" {
				o.LookAt, o.Looks = time.Now().Add(2*time.Second<<o.Looks), o.Looks+1
				s.orders[id] = o
				due = append(due, o)
			}
		}
		s.Unlock()
		for _, o := range due {
			s.look(o)
		}
	}
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	id, isOrder := strings.CutPrefix(r.URL.Path, "/test/orders/")
	switch {
	case r.URL.Path == "/callback":
		s.onCallback(w, r)
	case isOrder:
		s.Lock()
		o, known := s.orders[id]
		s.Unlock()
		if !known {
			w.WriteHeader(404)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"state": o.State, "receipts": o.Receipts})
	case r.URL.Path == "/test/checkout":
		var wanted struct {
			Order, Phone, Sandbox, Authorization string
			Amount                               float64
		}
		_ = json.NewDecoder(r.Body).Decode(&wanted)
		s.checkout(order{ID: wanted.Order, Amount: wanted.Amount, URL: wanted.Sandbox, Account: wanted.Authorization}, wanted.Phone)
		w.WriteHeader(202)
	default:
		w.WriteHeader(404)
	}
}

func main() {
	path := os.Getenv("DATA")
	if broken == "keeps orders in memory" {
		_ = os.Remove(path)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	secret, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	address := "127.0.0.1:" + os.Getenv("PORT")
	s := &shop{orders: map[string]order{}, taken: map[string]bool{}, file: file, secret: secret, callback: "http://" + address + "/callback"}
	for decoder := json.NewDecoder(file); ; {
		var line struct {
			ID    string
			Order order
		}
		if decoder.Decode(&line) != nil {
			break
		}
		s.orders[line.Order.ID] = line.Order
		if line.ID != "" {
			s.taken[line.ID] = true
		}
	}
	go s.watch()
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(s.serve)))
}
