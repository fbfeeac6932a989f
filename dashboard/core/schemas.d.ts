/** Fields of an operation's request, such as `schema:createApiKey?name,role_id`; see build/form-schemas.ts. */
declare module 'schema:*' {
  const schema: import('./form.ts').FormSchema
  export default schema
}
