module github.com/OWNER/payments-sandbox/clients/go

go 1.22
