// Takes callbacks with net/http and nothing else. README.md says how it is run.
package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"mime"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody.
const tolerance = 300

// Bytes.
const largest = 65_536

var digits = regexp.MustCompile(`^[0-9]{1,12}$`)

// isGenuine says whether these very bytes were signed with one of the secrets a moment ago.
func isGenuine(keys [][]byte, header http.Header, body []byte) bool {
	// Get, and no index: the map has webhook-id under Webhook-Id.
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if id == "" || !digits.MatchString(timestamp) {
		return false
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Now().Unix() - seconds; age > tolerance || age < -tolerance {
		return false
	}
	for _, key := range keys {
		own := hmac.New(sha256.New, key)
		io.WriteString(own, id+"."+timestamp+".")
		own.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(own.Sum(nil)))
		for _, sent := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal(expected, []byte(sent)) {
				return true
			}
		}
	}
	return false
}

type result struct {
	Reference string  `json:"reference"`
	Status    string  `json:"status"`
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Payin     bool    `json:"payin"`
}

// resultOf reads what a callback tells, whatever else it has. Amounts may be written 1000 or 1e+3, which no integer takes.
func resultOf(body []byte) (result, error) {
	var flat struct {
		Reference string          `json:"external_reference"`
		Status    json.RawMessage `json:"status"`
		Amount    *float64        `json:"amount"`
		Currency  string          `json:"currency"`
		Type      string          `json:"transaction_type"`
		// The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure.
		Nested *struct {
			Reference     string   `json:"ExternalReference"`
			Amount        *float64 `json:"Amount"`
			TransactionID *string  `json:"TransactionID"`
		} `json:"response"`
	}
	if err := json.Unmarshal(body, &flat); err != nil {
		return result{}, err
	}
	told := result{Reference: flat.Reference, Currency: flat.Currency, Payin: flat.Type == "inbound_payment"}
	amount := flat.Amount
	if flat.Nested != nil {
		told = result{Reference: flat.Nested.Reference, Currency: "KES", Payin: flat.Nested.TransactionID == nil, Status: "failed"}
		if string(flat.Status) == "true" {
			told.Status = "success"
		}
		amount = flat.Nested.Amount
	} else if err := json.Unmarshal(flat.Status, &told.Status); err != nil {
		return result{}, err
	}
	if told.Reference == "" || amount == nil {
		return result{}, errors.New("no result")
	}
	told.Amount = *amount
	return told, nil
}

type order struct {
	Reference string  `json:"reference"`
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Status    string  `json:"status"`
	Fulfilled int     `json:"fulfilled"`
	Paid      float64 `json:"paid"`
}

// after is the state of an order after a result: nothing undoes a reversal, and only a reversal undoes what is paid.
func (o order) after(told result) string {
	switch {
	case !told.Payin || o.Status == "reversed":
		return o.Status
	case told.Status == "reversed":
		return "reversed"
	case told.Status == "failed" && o.Status == "waiting":
		return "failed"
	case told.Status != "success" || o.Status == "paid":
		return o.Status
	case told.Amount == o.Amount && told.Currency == o.Currency:
		return "paid"
	}
	// Rightly signed, but not what was asked for: somebody has to look at it.
	return "review"
}

// What is to be known after a restart is a line of the journal.
type entry struct {
	Order  *order  `json:"order,omitempty"`
	ID     string  `json:"id,omitempty"`
	Result *result `json:"result,omitempty"`
}

type shop struct {
	mutex   sync.Mutex
	journal *os.File
	orders  map[string]order
	// The ids of callbacks that were taken; a callback has the same one however often it is sent.
	taken map[string]bool
}

func open(path string) (*shop, error) {
	journal, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	s := &shop{journal: journal, orders: map[string]order{}, taken: map[string]bool{}}
	lines := bufio.NewScanner(journal)
	lines.Buffer(nil, 2*largest)
	for lines.Scan() {
		var line entry
		// One that was cut off by a crash is no JSON.
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			s.count(line)
		}
	}
	return s, lines.Err()
}

func (s *shop) count(line entry) {
	if line.Order != nil {
		s.orders[line.Order.Reference] = *line.Order
		return
	}
	s.taken[line.ID] = true
	changed := s.orders[line.Result.Reference]
	before := changed.Status
	changed.Status = changed.after(*line.Result)
	changed.Paid = 0
	if changed.Status == "paid" {
		changed.Paid = changed.Amount
	}
	if changed.Status == "paid" && before != "paid" {
		// Here goods are handed out, once.
		changed.Fulfilled++
	}
	s.orders[changed.Reference] = changed
}

// keep returns once it is on the disk: what is answered with 2xx is not sent again.
func (s *shop) keep(line entry) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := s.journal.Write(append([]byte("\n"), text...)); err != nil {
		return err
	}
	if err := s.journal.Sync(); err != nil {
		return err
	}
	s.count(line)
	return nil
}

// take takes a callback once. Of ten copies at one moment nine wait for the mutex.
func (s *shop) take(id string, told result) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// A payment that nobody asked for is no reason to have it sent again.
	if _, known := s.orders[told.Reference]; !known || s.taken[id] {
		return nil
	}
	return s.keep(entry{ID: id, Result: &told})
}

func refuse(w http.ResponseWriter, status int) { http.Error(w, http.StatusText(status), status) }

func (s *shop) callback(keys [][]byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
			refuse(w, http.StatusUnsupportedMediaType)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largest))
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			refuse(w, http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			refuse(w, http.StatusBadRequest)
			return
		}
		if !isGenuine(keys, r.Header, body) {
			refuse(w, http.StatusUnauthorized)
			return
		}
		told, err := resultOf(body)
		if err != nil {
			refuse(w, http.StatusBadRequest)
			return
		}
		if err := s.take(r.Header.Get("webhook-id"), told); err != nil {
			// It is for our own log; the sender tries again.
			log.Print(err)
			refuse(w, http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own.
func (s *shop) expect(w http.ResponseWriter, r *http.Request) {
	wanted := order{Status: "waiting"}
	if json.NewDecoder(r.Body).Decode(&wanted) != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.keep(entry{Order: &wanted}) != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func (s *shop) show(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	found, known := s.orders[r.PathValue("reference")]
	s.mutex.Unlock()
	if !known {
		refuse(w, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(found)
}

func main() {
	var keys [][]byte
	for _, secret := range strings.Fields(os.Getenv("WEBHOOK_SECRETS")) {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		// Whoever signs with an empty key would be believed.
		if err != nil || len(key) < 24 {
			log.Fatal("WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it")
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		log.Fatal("WEBHOOK_SECRETS is empty: nothing could be verified")
	}
	s, err := open(setting("DATA", "orders.jsonl"))
	if err != nil {
		log.Fatal(err)
	}
	routes := http.NewServeMux()
	// With the method in the pattern all others are answered 405.
	routes.HandleFunc("POST /callback", s.callback(keys))
	routes.HandleFunc("POST /orders", s.expect)
	routes.HandleFunc("GET /orders/{reference}", s.show)
	address := "127.0.0.1:" + setting("PORT", "3000")
	// Without limits a sender that never ends holds a connection for ever.
	server := &http.Server{Addr: address, Handler: routes, ReadTimeout: 30 * time.Second}
	log.Printf("http://%s/callback", address)
	log.Fatal(server.ListenAndServe())
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
