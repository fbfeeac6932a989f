-- For whom a world was made who was not known; null for one whose maker was.
alter table worlds add column guest text;
create index worlds_guest on worlds (guest) where guest is not null;
