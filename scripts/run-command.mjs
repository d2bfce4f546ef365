/** Completes the set-up, then runs the command with the project's own Node. Has no dependencies and runs on Node 20. */
import { commands } from './commands.mjs';
import { requireSupportedHost, projectNode } from './setup/host.mjs';
import { ensureSetUp } from './setup/ensure-set-up.mjs';
import { workerEnvironment } from './setup/mediasoup-worker/worker-environment.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { wasInterrupted } from './setup/child-processes.mjs';

const [name, ...rest] = process.argv.slice(2);
// npm removes the `--`; direct callers may pass it.
const args = rest[0] === '--' ? rest.slice(1) : rest;
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;

try {
  if (!command) throw new SetupError(`usage: node scripts/run.mjs ${Object.keys(commands).join(' | ')}`);
  requireSupportedHost();
  await ensureSetUp(command.needs);
  if (command.webRtc) Object.assign(process.env, await workerEnvironment({ retry: name === 'setup' }));
  process.exitCode = await command.run(projectNode(), args);
} catch (error) {
  // Errors of the system, such as a full disk, need no stack trace either.
  if (!(error instanceof SetupError) && error.syscall === undefined) throw error;
  if (!wasInterrupted()) console.error(`\n${error.message}`);
  process.exitCode = wasInterrupted() ? 130 : 1;
}
