import { ActionIcon, TextInput } from '@mantine/core';
import { useState, type SyntheticEvent } from 'react';
import { SendHorizontalIcon } from 'lucide-react';

const MAX_CHARS = 4000;

/** Text input; Enter sends the message. */
export function Composer({ onSay }: { onSay: (text: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    onSay(text.trim());
    setText('');
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label="Message to the agent"
        placeholder="Type a message"
        size="md"
        maxLength={MAX_CHARS}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        rightSection={
          <ActionIcon
            type="submit"
            variant="subtle"
            color="pine"
            aria-label="Send"
            disabled={text.trim() === ''}
          >
            <SendHorizontalIcon />
          </ActionIcon>
        }
      />
    </form>
  );
}
