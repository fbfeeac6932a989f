/** A style sheet as text, with the palette in front of it. */
declare module '*.css' {
  const text: string
  export default text
}
