import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ended } from './process.ts'

/** What bash offers once this was typed, the last word being the one to complete. */
const offered = (file: string, typed: string): readonly string[] => {
  const words = typed.split(' ')
  const program = `
    source "$0"
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    $(complete -p payments-sandbox | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['--norc', '-euc', program, file, ...words], { encoding: 'utf8' })
  return out.split('\n').filter((line) => line !== '')
}

describe('completion bash', () => {
  let file = ''
  beforeAll(async () => {
    file = join(temporaryFolder(), 'completion.bash')
    await writeFile(file, (await ended(['completion', 'bash'])).out)
  })

  it.each([
    ['payments-sandbox wo', ['worlds']],
    ['payments-sandbox clock ', ['show', 'freeze', 'resume', 'speed', 'advance', 'set', 'help']],
    ['payments-sandbox worlds keys r', ['revoke']],
    ['payments-sandbox worlds keys create --ex', ['--expires-in']],
    ['payments-sandbox clock advance --j', ['--json']],
    ['payments-sandbox logs tail --only ', ['requests', 'callbacks']],
    ['payments-sandbox completion ', ['bash', 'zsh', 'fish']],
    ['payments-sandbox --settle', ['--settle-after']],
    ['payments-sandbox trigger payer-canc', ['payer-cancels']],
    ['payments-sandbox scenarios check vitest.con', ['vitest.config.ts']],
    ['payments-sandbox export --from package.js', ['package.json']],
    ['payments-sandbox pay --url ', []],
  ])('%j', (typed, words) => {
    expect(offered(file, typed)).toEqual(words)
  })

  it('completes the names of outcomes', () => {
    const names = shippedScenarios().map(({ name }) => name)
    expect(offered(file, 'payments-sandbox pay --outcome ')).toEqual(names)
  })
})

describe.each(['zsh', 'fish'])('completion %s', (shell) => {
  it('includes every command with its description', async () => {
    const { code, out } = await ended(['completion', shell])
    expect(code).toBe(0)
    for (const word of [
      'worlds',
      'completion',
      'freeze',
      'payer-cancels',
      'make a payment and show what happens to it',
    ])
      expect(out).toContain(word)
  })
})
