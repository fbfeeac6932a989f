/** Tests against the payments sandbox, with an isolated world, clock and callbacks for each test. */
package payments.sandbox;
