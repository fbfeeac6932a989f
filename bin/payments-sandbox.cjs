#!/usr/bin/env node
// Written for any Node.js, however old: it must be able to say that it is too old.
var needed = [20, 19]
var found = process.versions.node.split('.').map(Number)

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    'payments-sandbox needs Node.js ' +
      needed.join('.') +
      ' or newer; this is ' +
      process.versions.node +
      '. Install a newer one from https://nodejs.org and try again.\n',
  )
  process.exitCode = 3
} else {
  var enable = require('module').enableCompileCache
  if (enable) enable()
  // eslint-disable-next-line import/no-unassigned-import -- the program runs
  require('../dist/cli.cjs')
}
