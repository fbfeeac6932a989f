-- Which processes have somebody who watches the phones of a world, and until when that counts unless it is said again.
create table watchers (
  world text not null,
  node text not null,
  until timestamptz not null,
  primary key (world, node)
);
