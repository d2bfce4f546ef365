import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type TSchema } from 'typebox';
import type { HttpExchange, StandInDeps } from './stand-in.ts';

/** A received form: texts, and files with name, type and base64 content. */
export type SeenForm = Record<string, string | { name: string; type: string; base64: string }>;

export async function readForm(bytes: Buffer, contentType: string): Promise<SeenForm> {
  const request = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } });
  // oxlint-disable-next-line typescript/no-deprecated -- for small forms, and not the parser of the service
  const form = await request.formData();
  const seen: SeenForm = {};
  for (const [name, part] of form) {
    seen[name] =
      typeof part === 'string'
        ? part
        : {
            name: part.name,
            type: part.type,
            base64: Buffer.from(await part.arrayBuffer()).toString('base64'),
          };
  }
  return seen;
}

const File = Type.Object({
  name: Type.String({ minLength: 1 }),
  type: Type.String({ pattern: '^audio/' }),
  base64: Type.String({ minLength: 1 }),
});

/** Responds to a form with these fields and a file according to the configured behaviour. */
export function cloning(fileField: string, fields: Record<string, TSchema>) {
  const form = compileValidator(
    'form',
    Type.Object({ ...fields, [fileField]: File }, { additionalProperties: false }),
  );
  return (
    exchange: HttpExchange,
    { settings }: StandInDeps,
    answer: { voice: object; error: (message: string) => object },
  ): void => {
    const { behaviour, errorStatus, errorMessage } = settings();
    form.parse(exchange.body);
    if (behaviour === 'error') exchange.json(errorStatus, answer.error(errorMessage));
    else if (behaviour === 'garbage') exchange.json(200, { voice: 7 });
    else if (behaviour === 'refuse') exchange.cut();
    else exchange.json(200, answer.voice);
  };
}
