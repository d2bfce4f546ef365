import { parseArgs } from 'node:util';
import { AppError, toError } from '@calls/foundation/errors';
import { isUuid } from '@calls/foundation/schema/objects';

export const USAGE = `usage: npm run simulate -- <scenario file or folder …> [options]
       npm run simulate -- <scenario file or folder …> --agent ID --live URL [options]
       npm run --silent simulate -- --from-call <call id> [--url URL] [--key KEY] > <scenario file>

Calls an agent with simulated callers, in virtual time, and checks what happened.
  --agent FILE|ID      call template or agent (YAML or JSON), or the id of an agent of a running service; by default
                       agent.yaml in the folder of each scenario
  --mode text|voice    text (default): exact words; voice: audio, by the real voice activity detection, speech-to-text and
                       text-to-speech
  --live URL           call the agent of the service at URL in real time, over a WebSocket; its own engines and tools
                       respond, and only client tools are stubs
  --from-call ID       print a scenario made of a call of the service
  --only TEXT          only scenarios whose name contains the text
  --repeat N           play each scenario N times (default 1)
  --parallel N         scenarios played at a time (default 4)
  --junit FILE         write a JUnit XML report
  --report FOLDER      write report.html, and in voice mode the audio of failures: the caller left, the agent right
  --transcripts        print the conversations of all scenarios, not only of those that failed
  --url URL            the service of an agent by id (http://localhost:$PORT; PORT is 8080 by default)
  --key KEY            its API key; by default API_KEY, or the key of npm start

The agent's model is that of the environment (LLM_BASE_URL, LLM_MODEL, LLM_API_KEY), as for npm start. Without it, the
embedded svc-local responds, which is a script and no language model.
Exit code: 0 all passed or skipped, 1 a scenario failed, 2 wrong usage or an invalid file.`;

export interface CliOptions {
  paths: readonly string[];
  agent: string | null;
  fromCall: string | null;
  /** Whether to call an agent of the service, instead of simulating it. */
  isLive: boolean;
  mode: 'text' | 'voice';
  only: string | null;
  repeat: number;
  parallel: number;
  junit: string | null;
  report: string | null;
  transcripts: boolean;
  url: string;
  key: string | null;
}

/** `defaultUrl`: the service if `--url` is not given. Throws an AppError with the code `usage`. */
export function readOptions(args: readonly string[], defaultUrl: string): CliOptions {
  const { values, positionals } = parsed(args, defaultUrl);
  const fromCall = values['from-call'] ?? null;
  if (positionals.length === 0 && fromCall === null)
    throw new AppError('usage', 'Specify files or folders with scenarios.');
  const isLive = values.live !== undefined;
  if (isLive && !isUuid(values.agent ?? ''))
    throw new AppError('usage', '--live needs --agent with the id of an agent of the service.');
  return {
    paths: positionals,
    agent: values.agent ?? null,
    fromCall,
    isLive,
    mode: modeOf(values.mode),
    only: values.only ?? null,
    repeat: positiveInteger('repeat', values.repeat),
    parallel: positiveInteger('parallel', values.parallel),
    junit: values.junit ?? null,
    report: values.report ?? null,
    transcripts: values.transcripts,
    url: values.live ?? values.url,
    key: values.key ?? null,
  };
}

function parsed(args: readonly string[], defaultUrl: string) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        agent: { type: 'string' },
        'from-call': { type: 'string' },
        live: { type: 'string' },
        only: { type: 'string' },
        repeat: { type: 'string', default: '1' },
        parallel: { type: 'string', default: '4' },
        junit: { type: 'string' },
        mode: { type: 'string', default: 'text' },
        report: { type: 'string' },
        transcripts: { type: 'boolean', default: false },
        url: { type: 'string', default: defaultUrl },
        key: { type: 'string' },
      },
    });
  } catch (thrown) {
    throw new AppError('usage', toError(thrown).message);
  }
}

function modeOf(text: string): 'text' | 'voice' {
  if (text === 'text' || text === 'voice') return text;
  throw new AppError('usage', `--mode must be text or voice, not ${text}.`);
}

function positiveInteger(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new AppError('usage', `--${name} must be a whole number from 1 on, not ${text}.`);
}
