-- How many of a window of time are left, until it ends, milliseconds since the epoch. What a crash of the database empties
-- begins to count anew.
create unlogged table counts (
  name text primary key,
  ends double precision not null,
  remaining bigint not null,
  -- How many were granted to who asked last.
  granted bigint not null
) with (fillfactor = 50);
create index counts_ends on counts (ends);

-- What `/__admin` sets for all processes: JSON by name, and how often it was set.
create table settings (name text primary key, value text not null, version bigint not null);

-- The processes that are there, and when each was heard of last; what they were told is hashes: no secret is in them.
create table processes (
  id uuid primary key,
  name text not null,
  version text not null,
  told text not null,
  since timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp()
);

alter table worlds add column made_at timestamptz;
alter table worlds alter column made_at set default clock_timestamp();

-- Whoever makes a world locks this row first, so that of several at once none makes one too many.
create table making (one boolean primary key);
insert into making values (true) on conflict do nothing;
