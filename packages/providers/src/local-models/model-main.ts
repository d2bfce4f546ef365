import { speechPieces } from '../stt/moonshine/speech-pieces.ts';
import type { MoonshineFiles } from '../stt/moonshine/recognizer.ts';
import type {
  ModelOutput,
  ModelJob,
  ModelReport,
  ModelRequest,
  ModelSpec,
  SherpaOnnxSpec,
} from './messages.ts';

// Entry of a model process. Not a thread, because the native library aborts the process if it cannot read a model.

interface Model {
  run(job: ModelJob, onOutput: (output: ModelOutput) => void, isStopped: () => boolean): Promise<void>;
}

function report(message: ModelReport): void {
  process.send?.(message, () => undefined);
}

async function load(spec: ModelSpec): Promise<Model> {
  return spec.engine === 'moonshine' ? loadMoonshine(spec.files) : loadSherpaOnnx(spec);
}

async function loadMoonshine(files: MoonshineFiles): Promise<Model> {
  const { MoonshineRecognizer } = await import('../stt/moonshine/recognizer.ts');
  const recognizer = await MoonshineRecognizer.load(files);
  return {
    async run(job, onOutput, isStopped) {
      if (job.type !== 'transcribe') throw new Error('this model transcribes');
      for (const piece of speechPieces(job.samples)) {
        if (isStopped()) return;
        onOutput({ type: 'text', text: await recognizer.transcribe(piece, isStopped) });
      }
    },
  };
}

async function loadSherpaOnnx({ role, config }: SherpaOnnxSpec): Promise<Model> {
  // Imported here, so that services without a model never load the native library.
  const { default: sherpa } = await import('sherpa-onnx-node');
  if (role === 'stt') {
    const recognizer = await sherpa.OfflineRecognizer.createAsync(config);
    return {
      async run(job, onOutput) {
        if (job.type !== 'transcribe') throw new Error('this process has a speech-to-text model');
        const stream = recognizer.createStream();
        const samples = Float32Array.from(job.samples, (sample) => sample / 32_768);
        stream.acceptWaveform({ samples, sampleRate: job.sampleRateHz });
        const { text } = await recognizer.decodeAsync(stream);
        onOutput({ type: 'text', text });
      },
    };
  }
  const tts = await sherpa.OfflineTts.createAsync(config);
  return {
    async run(job, onOutput, isStopped) {
      if (job.type !== 'speak') throw new Error('this process has a text-to-speech model');
      await tts.generateAsync({
        text: job.text,
        sid: job.speakerId,
        speed: job.speed,
        enableExternalBuffer: false,
        onProgress: ({ samples }) => {
          onOutput({ type: 'audio', samples: toPcm(samples), sampleRateHz: tts.sampleRate });
          return !isStopped();
        },
      });
    },
  };
}

function toPcm(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))),
  );
}

let model: Promise<Model> | undefined;
let stopped = false;

async function run(job: ModelJob): Promise<void> {
  stopped = false;
  const before = process.cpuUsage();
  try {
    const loaded = await model;
    if (!loaded) throw new Error('no model is loaded');
    await loaded.run(
      job,
      (output) => report({ type: 'output', output }),
      () => stopped,
    );
    const { user, system } = process.cpuUsage(before);
    report({ type: 'done', cpuMs: (user + system) / 1000 });
  } catch (thrown) {
    report({ type: 'failed', message: String(thrown) });
  }
}

process.on('message', (request: ModelRequest) => {
  switch (request.type) {
    case 'load':
      model = load(request.spec);
      model.then(
        () => report({ type: 'ready' }),
        (thrown: unknown) => {
          process.stderr.write(`${String(thrown)}\n`, () => process.exit(1));
        },
      );
      return;
    case 'run':
      void run(request.job);
      return;
    case 'stop':
      stopped = true;
  }
});
process.on('disconnect', () => process.exit(0));
