import type { Here } from '../guides/here.ts'
import type { Group } from '../guides/catalogue.ts'
import type { Chapter } from '../operations/catalogue.ts'

/** What a list of everything is made of. */
export interface Contents {
  readonly groups: readonly Group[]
  readonly chapters: readonly Chapter[]
}

/** All that can be read here, in the form of llmstxt.org: what it is, then links by heading, the dispensable ones last. */
export function listOfTexts({ groups, chapters }: Contents, { origin, first }: Here): string {
  const { username, password, passwordFrom } = first
  const skill = {
    title: 'To begin with',
    lines: [
      link(
        'How to integrate and test',
        `${origin}/docs/skill.md`,
        'a skill for agents: rules, outcomes to survive, what to do when',
      ),
    ],
  }
  const guides = groups.map(({ title, guides: list }) => ({
    title: `Guides: ${title.toLowerCase()}`,
    lines: list.map((each) => link(each.title, `${origin}/docs/guides/${each.name}.md`, each.about)),
  }))
  const operations = chapters.map(({ title, operations: list }) => ({
    title,
    lines: list.map(({ method, path, operation: { operationId, summary } }) =>
      link(
        operationId,
        `${origin}/docs/operations/${operationId}.md`,
        `\`${method.toUpperCase()} ${path}\`, ${summary}`,
      ),
    ),
  }))
  const optional = {
    title: 'Optional',
    lines: [
      link('Everything in one text', `${origin}/llms-full.txt`, 'all guides and operations'),
      link('The service as OpenAPI', `${origin}/openapi.json`, 'also as /openapi.yaml'),
      link("The sandbox's own API as OpenAPI", `${origin}/sandbox/openapi.json`, 'also as YAML'),
      link('Scenario files as JSON Schema', `${origin}/sandbox/scenario.schema.json`, ''),
    ],
  }
  const sections = [skill, ...guides, ...operations, optional]
  return `# payments-sandbox

> A sandbox of the Unified Payments and Team Management Service, running at ${origin}: it keeps real state, holds real rules and posts the
> result of each payment to its \`callback_url\`. No money moves.

HTTP Basic with ${password === undefined ? `\`${username}\` and the password of ${passwordFrom}` : `\`${username}:${password}\``}; each API key has a world of its own, and \`${username}+anything\` with the same password is
a fresh one. Teams: ${first.teams}. What the service's own specification leaves open is marked observed or assumed on each page. Below
\`/sandbox\` is the sandbox's own API: it sets outcomes, moves the clock and tells why something happened.

${sections.map(({ title, lines }) => `## ${title}\n\n${lines.join('\n')}\n`).join('\n')}`
}

const link = (title: string, address: string, about: string) =>
  `- [${title}](${address})${about === '' ? '' : `: ${about}`}`
