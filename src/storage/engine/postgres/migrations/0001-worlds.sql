-- The worlds. A world's rows are its parts, which are of the version `base`, and what its log has since.
create table worlds (
  name text primary key,
  -- Drawn when the world is made: tells it from an earlier one of its name.
  born text not null,
  -- Drawn anew whenever other rows take the place of its own.
  life text not null,
  -- How many changes wrote, over lives.
  version bigint not null,
  base bigint not null,
  -- What the parts and the log since take, by which it is told when the log is folded.
  base_bytes bigint not null,
  log_bytes bigint not null,
  touched timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
create index worlds_touched on worlds (touched);

-- Texts of JSON, into which the database never looks: whatever a text of a row may hold, JSON's form of it can be kept.
create table parts (
  world text not null,
  life text not null,
  base bigint not null,
  part int not null,
  rows text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (world, life, base, part)
);
create table log (
  world text not null,
  life text not null,
  version bigint not null,
  -- Of all changes that were written together.
  batch uuid not null,
  at timestamptz not null default clock_timestamp(),
  writes text not null,
  primary key (world, life, version)
);
