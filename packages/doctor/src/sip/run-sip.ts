import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { parseArgs } from 'node:util';
import { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import { toError } from '@calls/foundation/errors';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { SipLogEntry } from '@calls/sip/endpoint-options';
import { Findings, findingText } from '../findings.ts';
import { examineTrunk } from './examine-trunk.ts';

const SIP_USAGE = `usage: npm run doctor -- sip <trunk.json> --to <number or SIP address> [--from <caller>]
         [--address <IPv4 address>] [--port <port>] [--rtp-ports <first>-<last>] [--messages]

Places one call through a SIP trunk and measures its audio for six seconds. Run it where the media-workers run, while
none uses the ports. The file is the body of POST /api/sip/trunks. --address: the address that the provider reaches, if
this machine is behind NAT. --messages prints the SIP messages.
Exit code: 0 no problems, 1 problems found, 2 wrong usage.`;

const trunkValidator = compileValidator('trunk', SipTrunk.Request);

/** Runs the check. Prints with \`say\`; returns the exit code. */
export async function runSip(args: string[], say: (text: string) => void): Promise<number> {
  if (args.includes('--help')) {
    say(SIP_USAGE);
    return 0;
  }
  const wrong = (text: string): number => {
    say(`${text}\n\n${SIP_USAGE}`);
    return 2;
  };
  let given: ReturnType<typeof readArguments>;
  let trunk: ReturnType<typeof trunkValidator.parse>;
  try {
    given = readArguments(args);
    trunk = trunkValidator.parse(JSON.parse(await readFile(given.file, 'utf8')));
  } catch (thrown) {
    return wrong(toError(thrown).message);
  }
  const messages: SipLogEntry[] = [];
  const findings = new Findings((finding) => say(findingText(finding)));
  try {
    await examineTrunk({ ...given, trunk, onMessage: (message) => void messages.push(message) }, findings);
  } catch (thrown) {
    const remedy = 'is a port in use by a media-worker? Choose others with --port and --rtp-ports';
    findings.error('this machine', toError(thrown).message, remedy);
  }
  if (given.messages) for (const message of messages) say(messageText(message));
  const { errors } = findings;
  say(errors > 0 ? `\nProblems: ${errors}.` : '\nNo problems: calls can be placed through this trunk.');
  return errors > 0 ? 1 : 0;
}

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      from: { type: 'string' },
      address: { type: 'string' },
      port: { type: 'string', default: '0' },
      'rtp-ports': { type: 'string', default: '20000-20099' },
      messages: { type: 'boolean', default: false },
    },
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new Error('name one trunk file');
  if (values.to === undefined) throw new Error('--to is required');
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be a port, not "${values.port}"`);
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/u.exec(values['rtp-ports']) ?? [];
  if (first === undefined || Number(last) <= Number(first) || Number(last) > 65_535)
    throw new Error(`--rtp-ports must be a range of ports such as 20000-20099, not "${values['rtp-ports']}"`);
  return {
    file,
    to: values.to,
    from: values.from ?? null,
    address: values.address ?? localAddress(),
    port,
    rtpPorts: { first: Number(first), last: Number(last) },
    messages: values.messages,
  };
}

/** The address of the first interface that is not loopback. */
function localAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

function messageText({ direction, peer, text }: SipLogEntry): string {
  const way = direction === 'sent' ? 'sent to' : 'received from';
  return `\n--- ${way} ${peer.address}:${peer.port} (${peer.transport})\n${text}`;
}
