-- When each API key of a world was last used, milliseconds since the epoch; written at most once a minute by each process.
create table used_keys (
  world text not null,
  username text not null,
  at double precision not null,
  primary key (world, username)
);
