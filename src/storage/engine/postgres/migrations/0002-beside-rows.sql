-- When each world was last called, milliseconds since the epoch.
create table used (world text primary key, at double precision not null);

-- Who runs the jobs of a world, until then, milliseconds since the epoch.
create table leases (
  world text primary key,
  runner text not null,
  until double precision not null,
  refused boolean not null default false
);

-- What processes tell each other; it only makes them look sooner.
create table signals (
  id uuid primary key,
  kind text not null,
  world text not null,
  node text not null,
  at timestamptz not null default clock_timestamp()
);
create index signals_at on signals (at);

-- Work of the calendar, and for which time it was begun last, milliseconds since the epoch.
create table calendar (name text primary key, due_at double precision not null);

create table snapshots (
  world text not null,
  id int not null,
  head text not null,
  rows text not null,
  bytes bigint not null,
  primary key (world, id)
);
create table snapshot_ids (world text primary key, last int not null);
-- API keys that were revoked, with the version of the world that did so: snapshots of older versions have them revoked too.
create table revoked (
  world text not null,
  username text not null,
  at double precision not null,
  version bigint not null,
  noted timestamptz not null default clock_timestamp(),
  primary key (world, username)
);

-- The last requests of a life of a world: how many ids were given, how many are forgotten, what those on record take.
create table journals (
  world text not null,
  life text not null,
  made bigint not null default 0,
  forgotten bigint not null default 0,
  bytes bigint not null default 0,
  at timestamptz not null default clock_timestamp(),
  primary key (world, life)
);
create table journal (
  world text not null,
  life text not null,
  n bigint not null,
  entry text not null,
  bytes bigint not null,
  answered_at timestamptz,
  primary key (world, life, n)
);
