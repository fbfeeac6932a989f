CREATE TABLE IF NOT EXISTS orders (
  reference VARCHAR(255) PRIMARY KEY,
  amount DECIMAL(12, 2) NOT NULL,
  currency VARCHAR(3) NOT NULL,
  status VARCHAR(20) NOT NULL,
  fulfilled INT NOT NULL,
  paid DECIMAL(12, 2) NOT NULL
);
-- The ids of callbacks that were taken; a callback has the same one however often it is sent.
CREATE TABLE IF NOT EXISTS taken (event VARCHAR(255) PRIMARY KEY);
