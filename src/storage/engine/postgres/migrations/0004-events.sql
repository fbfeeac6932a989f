-- The events of a world are made of its log, by whoever has somebody who listens: when a change was on the world's clock, how
-- many events it makes, and of which of the worlds that had one name it is.
alter table log add column time double precision, add column events int, add column born text;
