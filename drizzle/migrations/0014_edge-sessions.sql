CREATE TABLE "edge_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"login_session" text NOT NULL,
	"topics" integer[] NOT NULL,
	"planned_version" integer NOT NULL,
	"applied_version" integer,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"retry_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "edge_sessions_user" ON "edge_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "edge_sessions_login" ON "edge_sessions" USING btree ("login_session");--> statement-breakpoint
CREATE INDEX "edge_sessions_retry" ON "edge_sessions" USING btree ("retry_at");--> statement-breakpoint
CREATE INDEX "edge_sessions_topics" ON "edge_sessions" USING gin ("topics") WHERE ended_at is null;