import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/config.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('the start fails', () => {
  it.each([
    [
      'SANDBOX_SIGNATURES',
      'standard,stripes',
      /signature profile "stripes" is not known: use standard, stripe/,
    ],
    [
      'SANDBOX_SIGNATURES',
      '[{"profile":"custom"}]',
      /entries are profiles' names or .*; \[0\]\.header is required; /,
    ],
    [
      'SANDBOX_SIGNATURES',
      '["standard", 5]',
      /entries are profiles' names or .*; \[1\] must be text, got 5$/,
    ],
    ['SANDBOX_SIGNATURES', '[', /must be JSON .*; it must be a list, got nothing$/],
    ['SANDBOX_SIGNING_SECRET', 'hello', /does not begin with whsec_/],
    ['SANDBOX_CALLBACK_REWRITE', 'localhost', /each part must be host=host/],
    ['SANDBOX_RESET_CRON', 'daily', /is not a cron expression/],
  ])('for %s=%s', async (variable, value, message) => {
    const start = startSandbox({ [variable]: value })
    await expect(start).rejects.toThrow(ConfigError)
    await expect(startSandbox({ [variable]: value })).rejects.toThrow(message)
    await expect(startSandbox({ [variable]: value })).rejects.not.toThrow('\n')
    await expect(startSandbox({ [variable]: value })).rejects.toThrow(new RegExp(`^${variable}`))
  })

  it('for all of them at once, with a line for each', async () => {
    const env = {
      SANDBOX_SIGNATURES: 'stripes',
      SANDBOX_SIGNING_SECRET: 'hello',
      SANDBOX_RESET_CRON: 'daily',
    }
    const { message } = await startSandbox(env).then(
      () => new Error('it started'),
      (error: Error) => error,
    )
    expect(message.split('\n').map((line) => line.split(/\W/)[0])).toEqual(Object.keys(env))
  })
})
