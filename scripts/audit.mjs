import { execFile } from 'node:child_process';
import { repository } from './setup/host.mjs';
import { findPnpm, PNPM_OPTIONS } from './setup/pnpm.mjs';

const LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Severities that fail the check; others are printed. */
const GRAVE = new Set(['high', 'critical']);
/** Licences that permit distribution with an Apache-2.0 product and require only a notice. */
const FREE_LICENCES = new Set([
  ...['MIT', 'ISC', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'Zlib'],
  ...['Unlicense', 'CC0-1.0', 'BlueOak-1.0.0', 'Python-2.0'],
]);

/** Checks known vulnerabilities and licences of production dependencies. Resolves to the exit code. */
export async function audit(say = console.log) {
  const pnpm = await findPnpm();
  const [advisories, licences] = await Promise.all([
    run(pnpm, ['audit', '--prod', '--json']),
    listed(() => run(pnpm, ['--recursive', 'licenses', 'list', '--prod', '--json'])),
  ]);
  const passed = [vulnerabilitiesPass(advisories, say), licencesPass(licences, say)];
  return passed.every(Boolean) ? 0 : 1;
}

/** Retries, because listing may fail while another pnpm runs or the machine is busy. */
async function listed(list) {
  const first = await list();
  return parsed(first.output) === undefined ? list() : first;
}

/** If the registry has no advisories, the check does not fail; the output says that nothing was checked. */
export function vulnerabilitiesPass({ output, errors }, say) {
  const found = parsed(output)?.advisories;
  if (found === undefined) {
    const [code = 'no answer in time'] = /ERR_[A-Z_]+/.exec(errors) ?? [];
    say(`NOT CHECKED for known vulnerabilities: the configured registry gives no advisories (${code})`);
    return true;
  }
  const all = Object.values(found);
  for (const { severity, module_name: name, title, url } of all)
    say(`${severity}: ${name}: ${title} (${url})`);
  say(`known vulnerabilities: ${all.length}`);
  return !all.some(({ severity }) => GRAVE.has(severity));
}

export function licencesPass({ output, errors }, say) {
  const byLicence = parsed(output);
  if (byLicence === undefined) {
    say(`the licences could not be listed: ${errors.trim().split('\n', 1)[0]}`);
    return false;
  }
  const foreign = Object.entries(byLicence).filter(([licence]) => !isFree(licence));
  for (const [licence, packages] of foreign)
    say(`${licence}: ${packages.map(({ name }) => name).join(', ')}`);
  const count = Object.values(byLicence).flat().length;
  say(`licences: ${count} packages, ${foreign.length === 0 ? 'all' : 'NOT all'} redistributable`);
  return foreign.length === 0;
}

/** Whether an SPDX expression without nested parentheses permits free distribution. */
function isFree(expression) {
  const parts = expression.replace(/^\((.*)\)$/, '$1');
  if (parts.includes(' OR ')) return parts.split(' OR ').some(isFree);
  return parts.split(' AND ').every((licence) => FREE_LICENCES.has(licence.trim()));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function run(pnpm, args) {
  const options = { cwd: repository, timeout: LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve) => {
    execFile(pnpm, [...args, ...PNPM_OPTIONS], options, (_error, output, errors) =>
      resolve({ output, errors }),
    );
  });
}
