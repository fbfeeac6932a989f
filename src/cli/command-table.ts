import type { Command } from 'commander'
import {
  healthcheckCommand,
  migrateCommand,
  openapiCommand,
  seedCommand,
  startCommand,
  type End,
} from './commands.ts'
import { certifyCommand } from './certify-commands.ts'
import { clockCommand } from './clock-command.ts'
import { completionCommand } from './completion-command.ts'
import { explainCommand } from './explain-command.ts'
import { listenCommand } from './listen-command.ts'
import { logsCommand } from './logs-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { payCommand } from './pay-command.ts'
import { phoneCommand } from './phone-command.ts'
import { resendCommand } from './resend-command.ts'
import { worldsCommand } from './worlds-command.ts'
import type { Process } from './process.ts'
import { scenariosCommand, triggerCommand } from './scenario-commands.ts'
import { exportCommand, importCommand } from './transfer-commands.ts'

/** Declares a command: its words and flags. What it does is loaded when it is asked for. */
export type Declare = (io: Process, end: End, unknown: (word: string) => never) => Command

/**
 * Every command, in the order of the help. Completion follows from it; each has `--json`, a row in docs/command-line.md and a test
 * that says so.
 */
export const commandTable: readonly Declare[] = [
  startCommand,
  healthcheckCommand,
  openapiCommand,
  scenariosCommand,
  triggerCommand,
  payCommand,
  resendCommand,
  explainCommand,
  logsCommand,
  phoneCommand,
  clockCommand,
  worldsCommand,
  listenCommand,
  mcpCommand,
  seedCommand,
  migrateCommand,
  exportCommand,
  importCommand,
  certifyCommand,
  completionCommand,
]
