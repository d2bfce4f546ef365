import type { CallClient } from '@calls/examples/call-client';

/** Writes to the agent and waits for its response, which repeats the text. */
export async function askInWriting(client: CallClient, text: string): Promise<void> {
  await client.until('the call to start', () => client.messages.length > 0);
  client.send({ type: 'user_text_message', text });
  await client.until(`an answer to ${text}`, () =>
    client.transcript.some((said) => said.role === 'agent' && said.text.includes(text)),
  );
}
