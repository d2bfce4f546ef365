import { useState, type ReactNode } from 'react';

/**
 * A `details` element whose content depends on whether it is open. Pages can have thousands of closed ones; their content
 * must contain all text, because search in the page opens them.
 */
export function Details(props: {
  className?: string | undefined;
  summary: ReactNode;
  children: (isOpen: boolean) => ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={props.className} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{props.summary}</summary>
      {props.children(isOpen)}
    </details>
  );
}
