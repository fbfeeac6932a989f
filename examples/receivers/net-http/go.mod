module example.test/receiver

go 1.22
