/** A style sheet as text, preceded by the palette. */
declare module '*.css' {
  const text: string
  export default text
}
