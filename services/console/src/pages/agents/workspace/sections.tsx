import { Stack, UnstyledButton } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import classes from './workspace.module.css';

/** The sections of a long form, with buttons that lead to them. */
export function Sections({ sections }: { sections: readonly { name: string; content: ReactNode }[] }) {
  const frames = useRef(new Map<string, HTMLDivElement>());
  const show = (name: string): void => {
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const frame = frames.current.get(name);
    frame?.scrollIntoView({ behavior: isStill ? 'auto' : 'smooth' });
    frame?.focus({ preventScroll: true });
  };
  return (
    <>
      <nav className={classes.sections} aria-label="Sections">
        {sections.map(({ name }) => (
          <UnstyledButton key={name} className={classes.section} onClick={() => show(name)}>
            {name}
          </UnstyledButton>
        ))}
      </nav>
      <Stack gap="lg">
        {sections.map(({ name, content }) => (
          <div
            key={name}
            className={classes.target}
            tabIndex={-1}
            ref={(frame) => {
              if (frame) frames.current.set(name, frame);
            }}
          >
            {content}
          </div>
        ))}
      </Stack>
    </>
  );
}
