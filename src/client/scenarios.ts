import type { Ask, Transport } from './transport.ts'
import type { ScenarioFile, WorldClient } from './types.ts'

/** `world.scenarios`: which are there, which are switched on, and files of the world itself. */
export const scenariosOf = ({ call, callAs }: Transport): WorldClient['scenarios'] => {
  const turn = async (name: string, on: boolean) =>
    void (await call('switchScenario', { path: { name }, body: { on } }))
  return {
    on: (name) => turn(name, true),
    off: (name) => turn(name, false),
    next: async (name, times = 1) => void (await call('queueScenario', { path: { name }, body: { times } })),
    list: async () => (await call('listScenarios')).scenarios,
    get: async (name) => (await call('getScenario', { path: { name } })).scenario,
    // Its answer is JSON unless another form is asked for.
    source: (name) =>
      callAs('getScenario', {
        path: { name },
        headers: { accept: 'application/yaml' },
      }) as Promise<unknown> as Promise<string>,
    samples: async (name, reference) =>
      (await call('listScenarioSamples', { path: { name }, query: { reference } })).samples,
    state: (name) => call('getScenarioState', { path: { name } }),
    setStep: (name, step) => call('setScenarioState', { path: { name }, body: { step } }),
    put: async (name, file) => (await callAs('putScenario', { path: { name }, ...sent(file) })).scenario,
    check: (file, name) => callAs('checkScenario', { ...sent(file), query: { name } }),
    delete: async (name) => void (await call('deleteScenario', { path: { name } })),
    reset: async () => void (await call('resetScenarios')),
    magicValues: async () => (await call('listMagicValues')).magic_values,
  }
}

const sent = (file: ScenarioFile | string): Ask =>
  typeof file === 'string' ? { text: file, headers: { 'content-type': 'application/yaml' } } : { body: file }
