/** Something to type into a terminal. */
export function Command({ text }: { readonly text: string }) {
  return <code className="command">{text}</code>;
}
